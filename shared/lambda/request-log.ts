import type { AttemptEnd, AttemptObserver } from '../marketplace/options.ts';
import { addCount, logger } from './observability.ts';

const METRICS: Readonly<Record<AttemptEnd['outcome'], string>> = {
  accepted: 'RequestsAccepted',
  refused: 'RequestsRefused',
  unknown: 'RequestsUnknown',
  'not-sent': 'RequestsNotSent',
};

/** Logs each request to the marketplace when it is sent and when it ends, and counts it by its outcome. */
export const requestLog: AttemptObserver = {
  onSent: (attempt) => logger.info('request sent', { ...attempt }),
  onEnded: (attempt, end) => {
    const level = end.outcome === 'accepted' ? 'info' : 'warn';
    logger[level]('request ended', { ...attempt, ...end });
    addCount(METRICS[end.outcome]);
  },
};
