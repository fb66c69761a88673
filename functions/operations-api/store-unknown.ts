import { HttpError } from '../../shared/lambda/http-handler.ts';
import { unknownStore } from '../../shared/stores/model.ts';

/** 404 `STORE_UNKNOWN` */
export function storeUnknown(storeClientId: string): HttpError {
  const { code, message } = unknownStore(storeClientId);
  return new HttpError(404, code, message);
}
