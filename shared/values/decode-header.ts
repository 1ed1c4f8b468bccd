/** What a client meant by the bytes of a head: Node hands on those beyond ASCII as latin1. */
export function decodeHeader(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}

const BEYOND_ASCII = /[\x80-\xff]/;
