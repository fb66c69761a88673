export const SESSION_LIFETIME_MS = 3 * 60 * 1000;

/** An onboard session: expires 3 minutes after it was issued (§3). */
export interface OnboardSession {
  readonly sid: string;
  readonly partnerClientId: string;
  readonly requestId: string;
  readonly redirectUri: string;
  /** Epoch milliseconds on the server's clock. */
  readonly expiresAt: number;
  completed: boolean;
}
