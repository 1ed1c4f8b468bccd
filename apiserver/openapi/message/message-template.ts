/**
 * A message with gaps in some texts: encoded once and filled repeatedly with different words, at the cost of copying
 * the bytes between the gaps.
 */
import { MessageBuffer, type MessageSink } from '../../../shared/serialization/protobuf/message-buffer';

/**
 * A gap is written as one character of the private use area, from here on, in the order of the words; no document
 * contains these characters otherwise.
 */
const FIRST_GAP = 0xe000;
/** Splits a text at its gaps, and keeps these. */
const GAPS = /([\ue000-\ue01f])/;
/** Expected length of a word. */
const WORD_BYTES = 16;

/** The character that stands for the word of this index. */
export const placeholderFor = (word: number): string => String.fromCharCode(FIRST_GAP + word);

/** Bytes, or the index of a word. */
type TextPiece = Buffer | number;

/** A part of a message, in its order. */
type Node =
  | Buffer
  /** A text with a length prefix. */
  | { readonly text: readonly TextPiece[] }
  /** A nested message with a length prefix and an expected length. */
  | { readonly nested: readonly Node[]; readonly length: number };

/** The words in their order. */
export type Words = readonly Buffer[];

/** Encodes each word once for all gaps that it fills. */
export const wordsFrom = (texts: readonly string[]): Words => texts.map((text) => Buffer.from(text));

/** A text without a length prefix. */
export class TextTemplate {
  private readonly pieces: readonly TextPiece[];

  constructor(text: string) {
    this.pieces = piecesOf(text);
  }

  /** Writes the text with the words in its gaps. */
  fill(words: Words, bytes: MessageBuffer): void {
    for (const piece of this.pieces) copyPiece(piece, words, bytes);
  }
}

/** Records a message like any other sink, and keeps it for filling. */
export class MessageTemplate implements MessageSink {
  private readonly plain = new MessageBuffer();
  private nodes: Node[] = [];
  private readonly parents: Node[][] = [];

  varint(value: number): void {
    this.plain.varint(value);
  }

  double(value: number): void {
    this.plain.double(value);
  }

  copy(source: Uint8Array, start: number, end: number): void {
    this.plain.copy(source, start, end);
  }

  text(text: string): void {
    if (GAPS.test(text)) {
      this.flushPlain();
      this.nodes.push({ text: piecesOf(text) });
    } else this.plain.text(text);
  }

  open(): number {
    this.flushPlain();
    this.parents.push(this.nodes);
    this.nodes = [];
    return this.parents.length;
  }

  close(): void {
    this.flushPlain();
    const nested = this.nodes;
    this.nodes = this.parents.pop() ?? [];
    const [first, second] = nested;
    // A message without gaps has a constant length, so it becomes part of the surrounding bytes.
    if (second === undefined && (first === undefined || Buffer.isBuffer(first))) {
      const length = first?.length ?? 0;
      this.plain.varint(length);
      if (first !== undefined) this.plain.copy(first, 0, length);
    } else this.nodes.push({ nested, length: lengthOf(nested) });
  }

  /** Writes the message with the words in its gaps. */
  fill(words: Words, bytes: MessageBuffer): void {
    this.flushPlain();
    fillNodes(this.nodes, words, bytes);
  }

  /** Merges adjacent bytes into as few pieces as possible. */
  private flushPlain(): void {
    const written = this.plain.finish();
    if (written.length === 0) return;
    const last = this.nodes.at(-1);
    if (Buffer.isBuffer(last)) this.nodes[this.nodes.length - 1] = Buffer.concat([last, written]);
    else this.nodes.push(Buffer.from(written));
    this.plain.reset();
  }
}

function fillNodes(nodes: readonly Node[], words: Words, bytes: MessageBuffer): void {
  for (const node of nodes) {
    if (Buffer.isBuffer(node)) bytes.copy(node, 0, node.length);
    else if ('text' in node) fillText(node.text, words, bytes);
    else {
      const start = bytes.open(node.length);
      fillNodes(node.nested, words, bytes);
      bytes.close(start);
    }
  }
}

function fillText(pieces: readonly TextPiece[], words: Words, bytes: MessageBuffer): void {
  let length = 0;
  for (const piece of pieces) length += typeof piece === 'number' ? (words[piece]?.length ?? 0) : piece.length;
  bytes.varint(length);
  for (const piece of pieces) copyPiece(piece, words, bytes);
}

function copyPiece(piece: TextPiece, words: Words, bytes: MessageBuffer): void {
  const source = typeof piece === 'number' ? words[piece] : piece;
  if (source !== undefined) bytes.copy(source, 0, source.length);
}

/** Every second piece is a gap. */
function piecesOf(text: string): readonly TextPiece[] {
  const pieces = text.split(GAPS).map((piece, index) => (index % 2 === 1 ? piece.charCodeAt(0) - FIRST_GAP : Buffer.from(piece)));
  return pieces.filter((piece) => typeof piece === 'number' || piece.length > 0);
}

/** The expected length of the nodes with words. */
function lengthOf(nodes: readonly Node[]): number {
  let length = 0;
  for (const node of nodes) {
    if (Buffer.isBuffer(node)) length += node.length;
    else if ('nested' in node) length += node.length;
    else for (const piece of node.text) length += typeof piece === 'number' ? WORD_BYTES : piece.length;
  }
  return length;
}
