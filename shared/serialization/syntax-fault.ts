/** A body that cannot be parsed; the message is the text that upstream gives (`unexpected end of JSON input`, `yaml: …`), without any prefix. */
export class SyntaxFault extends Error {}
