/**
 * Decoding and encoding of bodies and stored objects: strict JSON with Go's error messages, YAML, and protobuf in the
 * envelope of Kubernetes (`k8s\0` and runtime.Unknown). Each function states its errors where it is defined.
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
export { encodeStoredMessage } from './protobuf/stored-message';
export { parseJson, parseJsonInSteps, type ParsedText } from './json/strict-json';
export { parseStoredJson } from './json/stored-json';
export { NumberRangeError, ParseError } from './json/parse-error';
export { parseYaml } from './yaml/yaml';
export { stringifyYaml } from './yaml/yaml-output';
