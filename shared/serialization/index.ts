/**
 * Decoding and encoding of bodies and stored objects.
 *
 *   parseJson(bytes)               strict JSON; throws ParseError with Go's message
 *   parseJsonInSteps(bytes)        the same for bodies of objects, with pauses between the steps
 *   parseStoredJson(bytes)         JSON that the server has written itself
 *   parseYaml(bytes, clock)        YAML, or JSON when it begins with `{`; rejects with ParseError
 *   fieldErrors(parsed, …)         unknown and duplicate fields as messages of upstream
 *   stringifyYaml(value)           block style, keys sorted
 *   decodeProtobuf(type, bytes)    an object in its envelope (`k8s\0` and runtime.Unknown); throws ProtobufError
 *   decodeProtobufList, decodeProtobufEvent
 *   encodeProtobuf(type, …)        an object with its envelope
 *   encodeProtobufMessage(type, …) an object without envelope, for list items and watch frames
 */
export { fieldErrors } from './json/field-errors';
export {
  decodeProtobuf,
  decodeProtobufEvent,
  decodeProtobufList,
  encodeProtobuf,
  encodeProtobufMessage,
  ProtobufError,
} from './protobuf/protobuf';
export { parseJson, parseJsonInSteps, type ParsedText } from './json/strict-json';
export { parseStoredJson } from './json/stored-json';
export { NumberRangeError, ParseError } from './json/parse-error';
export { parseYaml } from './yaml/yaml';
export { stringifyYaml } from './yaml/yaml-output';
