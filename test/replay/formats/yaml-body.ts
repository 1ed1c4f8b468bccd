/**
 * Recorded results of YAML bodies (`"format": "yaml-bodies"`): ControllerRevisions, because their `data` is any value.
 */
import { readRecording } from '../recording';
import { anything, listOf, oneOf, shape, text, type Check } from '../shape';

export interface YamlBody {
  readonly name: string;
  readonly body?: string;
  /** A body that is not UTF-8. */
  readonly base64?: string;
  /** The `data` of the object. */
  readonly value?: unknown;
  /** The warnings about duplicate keys. */
  readonly duplicates?: readonly string[];
  /** Why the body is rejected. */
  readonly fault?: string;
}

const isHead = shape({ format: oneOf('yaml-bodies'), about: text });
const isCase: Check<YamlBody> = shape({ name: text }, { body: text, base64: text, value: anything, duplicates: listOf(text), fault: text });

export const yamlBodies = (recording: string) => readRecording(recording, isHead, isCase);

export const yamlBytes = ({ body = '', base64 }: YamlBody): Buffer =>
  base64 === undefined ? Buffer.from(body) : Buffer.from(base64, 'base64');
