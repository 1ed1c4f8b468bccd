/** The blocks of PEM in a text, as upstream reads them: what stands between them, and what only begins like one, is overlooked. Judges no content. */

export interface PemBlock {
  /** `CERTIFICATE` */
  readonly type: string;
  readonly bytes: Buffer;
}

const BEGIN_LINE = /^-----BEGIN (.*)-----[ \t\r]*$/gm;
const END_MARKER = '-----END ';
/** `Proc-Type: 4,ENCRYPTED`, before the content. */
const HEADER = /^[^-\n][^:\n]*:.*\n/;
const CONTENT = /^[A-Za-z0-9+/]*={0,2}$/;

/** Undefined = there is none. */
export function firstPemBlock(text: string): PemBlock | undefined {
  let end = -1;
  for (const { 0: line, 1: type = '', index } of text.matchAll(BEGIN_LINE)) {
    const begin = index + line.length + 1;
    // The end that was found for one beginning is that of the next ones too: a text is searched once.
    if (end < begin) end = text.indexOf(END_MARKER, begin);
    if (end < 0) return undefined;
    const bytes = text.startsWith(`${END_MARKER}${type}-----`, end) ? decodeContent(text.slice(begin, end)) : undefined;
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
