// The system's word for what went wrong, as `ENOENT`.

/** '' for an error that has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
