/** Decodes header values, which Go programs send and read as UTF-8. */

const NON_ASCII = /[\x80-\xff]/;

/** Decodes a header value as UTF-8: Node decodes the bytes of headers as latin1. */
export function decodeHeader(text: string): string {
  return NON_ASCII.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}
