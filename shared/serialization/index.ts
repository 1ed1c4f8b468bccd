/**
 * Bodies in and out.
 *
 *   parseJson(bytes): Parsed                     strict JSON; throws SyntaxFault with a Go-like text
 *   parsingJson(bytes): Steps<Parsed>            the same of an object, in steps
 *   parseStored(bytes): JsonObject               JSON that we have written ourselves
 *   parseYaml(bytes, clock): Promise<Parsed>     YAML (JSON first when it starts with `{`); throws SyntaxFault
 *   fieldFaults(parsed, unknown, level)          unknown and repeated members in upstream's words and order
 *   stringifyYaml(value): string                 block style, keys sorted
 *   decodeProtobuf(type, bytes)                  envelope `k8s\0` + Unknown + message → { object, apiVersion, kind }; throws ProtobufFault
 *   decodeProtobufList(type, bytes)              the same of a list → { metadata, items }
 *   decodeProtobufEvent(frame)                   an event of a watch → { type, object }, the object in its envelope
 *   encodeProtobuf(type, object, apiVersion, kind): Buffer
 *   encodeProtobufMessage(type, object): Buffer  the bare message, for list items and watch frames
 */
export { fieldFaults } from './field-faults';
export { decodeProtobuf, decodeProtobufEvent, decodeProtobufList, encodeProtobuf, encodeProtobufMessage, ProtobufFault } from './protobuf';
export { parseJson, parseJsonInSteps, type ParsedText } from './strict-json';
export { parseStoredJson } from './stored-json';
export { NumberRangeFault, SyntaxFault } from './syntax-fault';
export { parseYaml } from './yaml';
export { stringifyYaml } from './yaml-output';
