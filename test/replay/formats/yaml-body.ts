/**
 * Recorded results of YAML bodies (`"format": "yaml-bodies"`): ControllerRevisions, because their `data` is any value.
 */
import { readRecording } from '../recording';
import { anything, listOf, oneOf, shape, text, type Checked } from '../shape';

const isHead = shape({ format: oneOf('yaml-bodies'), about: text });
/**
 * `base64` is a body that is not UTF-8. The result is the `data` of the object as `value`, with the warnings about
 * `duplicates` of keys, or the `fault` for which the body is rejected.
 */
const isCase = shape({ name: text }, { body: text, base64: text, value: anything, duplicates: listOf(text), fault: text });
export type YamlBody = Checked<typeof isCase>;

/** The head and the cases of a recording. */
export const yamlBodies = (recording: string) => readRecording(recording, isHead, isCase);

/** The bytes that are sent. */
export const yamlBytes = ({ body = '', base64 }: YamlBody): Buffer =>
  base64 === undefined ? Buffer.from(body) : Buffer.from(base64, 'base64');
