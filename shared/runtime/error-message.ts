/** Formats a caught value for messages; error-code.ts reads the codes of system errors. */

/** The message of an Error, or the text of any other value that was thrown. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
