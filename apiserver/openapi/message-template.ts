/**
 * A message in which some texts have gaps: written once, and filled again and again with other words, which costs no more than copying what stands between.
 * Knows no messages, and not what the words mean.
 */
import { MessageBytes, type MessageSink } from './message-buffer';

/** Gaps are written as one character each, from here on, in the order of the words; no text of ours has them otherwise. */
const FIRST_GAP = 0xe000;
const GAPS = /([\ue000-\ue01f])/;
/** A word is about so long. */
const WORD_BYTES = 16;

export const gap = (word: number): string => String.fromCharCode(FIRST_GAP + word);

/** Bytes as they are, or the number of a word. */
type TextPiece = Buffer | number;

type Node =
  | Buffer
  /** A text, with its length before it. */
  | { readonly text: readonly TextPiece[] }
  /** A message, which is about as long as it says, with its length before it. */
  | { readonly nested: readonly Node[]; readonly length: number };

/** Of words in their order. */
export type Words = readonly Buffer[];

export const wordsFrom = (texts: readonly string[]): Words => texts.map((text) => Buffer.from(text));

/** A text without a length. */
export class TextTemplate {
  private readonly pieces: readonly TextPiece[];

  constructor(text: string) {
    this.pieces = piecesOf(text);
  }

  fill(words: Words, bytes: MessageBytes): void {
    for (const piece of this.pieces) copyPiece(piece, words, bytes);
  }
}

/** Written like any other message, and kept. */
export class MessageTemplate implements MessageSink {
  private readonly plain = new MessageBytes();
  private nodes: Node[] = [];
  private readonly around: Node[][] = [];

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
      this.settle();
      this.nodes.push({ text: piecesOf(text) });
    } else this.plain.text(text);
  }

  open(): number {
    this.settle();
    this.around.push(this.nodes);
    this.nodes = [];
    return this.around.length;
  }

  close(): void {
    this.settle();
    const inner = this.nodes;
    this.nodes = this.around.pop() ?? [];
    const [only, second] = inner;
    if (second === undefined && (only === undefined || Buffer.isBuffer(only))) {
      const length = only?.length ?? 0;
      this.plain.varint(length);
      if (only !== undefined) this.plain.copy(only, 0, length);
    } else this.nodes.push({ nested: inner, length: lengthOf(inner) });
  }

  fill(words: Words, bytes: MessageBytes): void {
    this.settle();
    fillNodes(this.nodes, words, bytes);
  }

  /** What is plain stands in as few pieces as there can be. */
  private settle(): void {
    const written = this.plain.finish();
    if (written.length === 0) return;
    const last = this.nodes.at(-1);
    if (Buffer.isBuffer(last)) this.nodes[this.nodes.length - 1] = Buffer.concat([last, written]);
    else this.nodes.push(Buffer.from(written));
    this.plain.begin();
  }
}

function fillNodes(nodes: readonly Node[], words: Words, bytes: MessageBytes): void {
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

function fillText(pieces: readonly TextPiece[], words: Words, bytes: MessageBytes): void {
  let length = 0;
  for (const piece of pieces) length += typeof piece === 'number' ? (words[piece]?.length ?? 0) : piece.length;
  bytes.varint(length);
  for (const piece of pieces) copyPiece(piece, words, bytes);
}

function copyPiece(piece: TextPiece, words: Words, bytes: MessageBytes): void {
  const source = typeof piece === 'number' ? words[piece] : piece;
  if (source !== undefined) bytes.copy(source, 0, source.length);
}

/** Every second one is a gap. */
function piecesOf(text: string): readonly TextPiece[] {
  const pieces = text.split(GAPS).map((piece, index) => (index % 2 === 1 ? piece.charCodeAt(0) - FIRST_GAP : Buffer.from(piece)));
  return pieces.filter((piece) => typeof piece === 'number' || piece.length > 0);
}

function lengthOf(nodes: readonly Node[]): number {
  let length = 0;
  for (const node of nodes) {
    if (Buffer.isBuffer(node)) length += node.length;
    else if ('nested' in node) length += node.length;
    else for (const piece of node.text) length += typeof piece === 'number' ? WORD_BYTES : piece.length;
  }
  return length;
}
