/** What is counted of one holder's time with a lane. */
export interface LaneCounts {
  readonly requests: number;
  readonly rows: number;
  /** Rejected rows by code. */
  readonly rejections: Readonly<Record<string, number>>;
  /** Whether the holder before had not released the lane. */
  readonly leaseExpired: boolean;
}

/** What came of one holder's time with a lane. */
export interface LaneReport extends LaneCounts {
  readonly ended:
    | 'drained'
    /** Its time is up, or other lanes wait: a ticket goes on. */
    | 'turn-over'
    /** Everyone is to wait, or no permit was free: a delayed ticket goes on. */
    | 'paused'
    /** The partner's credentials are refused: the waker tries again. */
    | 'stopped'
    /** The same, and this lane was the one to find it out. */
    | 'partner-refused'
    | 'held-elsewhere'
    | 'lost'
    | 'not-connected'
    | 'suspended';
  /** What a request was refused with that made the holder leave before all was sent. */
  readonly refusal?: { readonly code: string; readonly message: string; readonly requestId?: string };
}

/** As the holder itself knows it. */
export type HolderCounts = Omit<LaneCounts, 'leaseExpired'>;
export type HolderReport = Omit<LaneReport, 'leaseExpired'>;
