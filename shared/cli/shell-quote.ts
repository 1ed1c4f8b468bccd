/** Quotes words so that POSIX shells, fish and zsh read them unchanged. */

/** The text itself when no shell changes it, else in single quotes. */
export const shellQuote = (text: string): string => (/^[\w@%+:,./-]+$/.test(text) ? text : singleQuote(text));

/** In single quotes; a single quote in the text becomes `'\''`. */
export const singleQuote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
