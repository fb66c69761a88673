/** What came of one holder's time with a lane. */
export interface LaneReport {
  readonly ended:
    | 'drained'
    | 'out-of-time'
    /** Everyone is to wait, or the limit gave no leave: a delayed ticket goes on. */
    | 'paused'
    /** The partner's credentials are refused: the waker tries again. */
    | 'stopped'
    /** The same, and this lane was the one to find it out. */
    | 'partner-refused'
    | 'held-elsewhere'
    | 'lost'
    | 'not-connected'
    | 'suspended';
  readonly requests: number;
  readonly rows: number;
  /** Rejected rows by code. */
  readonly rejections: Readonly<Record<string, number>>;
  /** Whether the holder before had not let go of the lane. */
  readonly leaseExpired: boolean;
  /** What a request was refused with that made the holder leave before all was sent. */
  readonly refusal?: { readonly code: string; readonly message: string; readonly requestId?: string };
}

/** As the holder itself knows it. */
export type HolderReport = Omit<LaneReport, 'leaseExpired'>;
