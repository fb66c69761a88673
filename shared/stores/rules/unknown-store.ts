/** The fault of a row or command whose store was never connected to this stack; `field` is that of an event. */
export function unknownStore(storeClientId: string) {
  return {
    code: 'STORE_UNKNOWN',
    message: `store ${storeClientId} is not connected to this stack`,
    field: 'detail.storeClientId',
  } as const;
}
