/** Reads response bodies with a size limit, and parses JSON without loss of 64-bit integers. */
import { errorMessage } from '../../runtime/error-message';
import { isObject, type JsonObject, type JsonValue } from '../../values/json';
import { parseJson } from '../../serialization';
import { MalformedResponse } from './api-object';

/**
 * Numbers that a double may not hold exactly: only these need the exact parser, which takes many times as long. A number
 * stands at the beginning, after the colon of a member, or in an array. Digits elsewhere are in strings, such as the
 * digests and UIDs of every pod. It has either 16 digits in a row, before or after its point, as 2^53 has; or an exponent
 * of three digits, which may exceed the range of a double.
 */
const LONG_NUMBER = /(?:^|"\s*:|[[,])\s*-?(?:\d*\.?\d{16}|[\d.]+[eE]\+?\d{3})/;

/** Whether the JSON text may contain such a number. False positives are possible: strings may look like members. */
export const mayHaveLongNumber = (text: string): boolean => LONG_NUMBER.test(text);

/** JSON.parse with the type of its results. */
const parsePlainJson: (text: string) => JsonValue = JSON.parse;

/** Parses the JSON of a response; integers that a double cannot hold become bigints. Throws {@link MalformedResponse}. */
export function parseBody(text: string): JsonValue {
  try {
    if (mayHaveLongNumber(text)) return parseJson(Buffer.from(text)).value;
    return parsePlainJson(text);
  } catch (error) {
    throw new MalformedResponse(`the response of the server is not JSON: ${errorMessage(error)}`);
  }
}

/** The object in the text; `undefined` when the text is anything else. */
export function tryParseObject(text: string): JsonObject | undefined {
  try {
    const value = parseBody(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a whole body. Throws {@link MalformedResponse} when it is longer than `limit` bytes. */
export async function collectBody(body: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) throw new MalformedResponse(`the response of the server is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

/**
 * Yields the lines of a stream without their line ends. Empty lines and an incomplete last line are dropped. Throws
 * {@link MalformedResponse} when more than `limit` bytes have arrived without the end of their line.
 */
export async function* readLines(body: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  // The chunks of the incomplete line, and their length.
  let pending: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      const last = chunk.subarray(start, end);
      start = end + 1;
      const line = pending.length === 0 ? last : Buffer.concat([...pending, last]);
      pending = [];
      length = 0;
      if (line.length > 0) yield line;
    }
    if (start === chunk.length) continue;
    const rest = chunk.subarray(start);
    length += rest.length;
    if (length > limit) throw new MalformedResponse(`the server sent a line longer than ${limit} bytes`);
    pending.push(rest);
  }
}
