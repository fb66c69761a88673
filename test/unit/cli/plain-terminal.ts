/** A terminal of 100 columns without colours. */
export const plainTerminal = { width: 100, style: (_: unknown, text: string) => text };
