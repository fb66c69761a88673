import { randomBytes, timingSafeEqual } from 'node:crypto';

/** What a browser needs to use a console: a token that works once, and the cookie that it is exchanged for. */
export interface Session {
  /** Part of the address that is printed. */
  readonly token: string;
  /** @returns the value of the cookie, for the first right token; otherwise `undefined` */
  exchange(token: string): string | undefined;
  isCookie(value: string): boolean;
}

const SECRET_BYTES = 32;

/** A session with secrets of its own. It ends with the process. */
export function createSession(): Session {
  const token = secret();
  const cookie = secret();
  let isUsed = false;
  return {
    token,
    exchange(given) {
      if (isUsed || !isEqual(given, token)) return undefined;
      isUsed = true;
      return cookie;
    },
    isCookie: (value) => isEqual(value, cookie),
  };
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
