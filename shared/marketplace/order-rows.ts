import * as z from 'zod';
import { decision, exactlyOneOf, obeys, text, uuid } from './fields.ts';

/** A longer invoice number is a mistake, and too long for a key of the Orders table. */
const MAX_INVOICE_NUMBER_LENGTH = 200;

/**
 * A longer reason is a mistake. An order's record in the Orders table holds the reasons of its decision and of the try before. With
 * everything else they must stay below 400 KB in UTF-8.
 */
const MAX_REASON_LENGTH = 10_000;
const MAX_REASON_CODE_LENGTH = 200;

const orderReference = {
  orderId: uuid.optional(),
  invoiceNumber: text.min(1).max(MAX_INVOICE_NUMBER_LENGTH).optional(),
};
const oneReference = exactlyOneOf(['orderId', 'invoiceNumber']);

/** A decision of §4.16. `reasonCode` and `reason` belong to `reject`; the specification does not list the codes. */
export const orderDecision = z
  .strictObject({
    ...orderReference,
    decision,
    reasonCode: text.min(1).max(MAX_REASON_CODE_LENGTH).optional(),
    reason: text.max(MAX_REASON_LENGTH).optional(),
  })
  .check(obeys(oneReference));

/** An order of §4.17. */
export const dropoffItem = z.strictObject(orderReference).check(obeys(oneReference));
