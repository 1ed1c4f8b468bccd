/**
 * Finds PEM blocks in a text as Go's encoding/pem does: text between blocks and malformed blocks are skipped. The time
 * is linear in the length of the text. The content of a block is not interpreted.
 */

/** A block with its decoded content. */
export interface PemBlock {
  /** `CERTIFICATE`, for example. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** Lines begin after a line feed, as Go's do; `^` would also match after a lone carriage return. */
const BEGIN_LINE = /(?<![^\n])-----BEGIN (.*)-----[ \t\r]*$/gm;
/** The start of a BEGIN line that is not the first line. */
const BEGIN_OF_LINE = '\n-----BEGIN ';
const END_MARKER = '-----END ';
/** A header before the content: `Proc-Type: 4,ENCRYPTED`. */
const HEADER = /^[^-\n][^:\n]*:.*\n/;
/** Base64 without blanks. */
const CONTENT = /^[A-Za-z0-9+/]*={0,2}$/;

/** The first well-formed block of any type; `undefined` when there is none. */
export function firstPemBlock(text: string): PemBlock | undefined {
  let end = -1;
  for (const { 0: line, 1: type = '', index } of text.matchAll(BEGIN_LINE)) {
    const begin = index + line.length + 1;
    // The END line that was found for one BEGIN line is the next one for later BEGIN lines too, so that the text is
    // searched only once.
    if (end < begin) end = text.indexOf(END_MARKER, begin);
    if (end < 0) return undefined;
    if (!text.startsWith(`${END_MARKER}${type}-----`, end)) continue;
    // A block that contains another BEGIN line is malformed; it is skipped, so that each part is decoded only once.
    const next = text.indexOf(BEGIN_OF_LINE, begin - 1);
    if (next >= 0 && next < end) continue;
    const bytes = decodeContent(text.slice(begin, end));
    if (bytes !== undefined) return { type, bytes };
  }
  return undefined;
}

function decodeContent(text: string): Buffer | undefined {
  let content = text;
  for (let [header] = HEADER.exec(content) ?? []; header !== undefined; [header] = HEADER.exec(content) ?? [])
    content = content.slice(header.length);
  const compact = content.replace(/\s+/g, '');
  return CONTENT.test(compact) && compact.length % 4 === 0 ? Buffer.from(compact, 'base64') : undefined;
}
