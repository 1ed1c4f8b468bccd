/**
 * Records the progress of responses with slow clients: how many pieces each output has accepted, which outputs carry
 * watches, and how many bytes of whole responses wait on each connection. Long responses are written in pieces, so
 * that a slow client differs from one that reads nothing. Ends no output itself.
 */
import type { Writable } from 'node:stream';

/**
 * A client must read a piece within the time for unread responses. Pieces of 64 KiB cost lists of 500 objects in
 * protobuf some 20 % more CPU.
 */
const PIECE_BYTES = 256 * 1024;
/**
 * Node keeps a buffer as long as the longest write for as long as a TLS connection exists: 290 KB after a list of
 * 250 KB, 33 KB when that was written in pieces below 16 KB.
 */
const SMALL_PIECE_BYTES = 15 * 1024;
/** With more open connections, responses up to {@link PIECE_BYTES} are written in small pieces. Longer ones would wait too often. */
const MANY_CONNECTIONS = 256;
/** Limit for complete responses that wait on one connection. A single one may be longer. */
export const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** Responses up to {@link PIECE_BYTES} are written in pieces of this length. */
let shortResponsePieceBytes = PIECE_BYTES;

/** The state of each output, as long as it exists. */
const pieceCounts = new WeakMap<object, number>();
const watches = new WeakSet<object>();
const unreadAllowed = new WeakSet<object>();
/** The bytes of complete responses that wait on each connection. */
const waitingBytes = new WeakMap<object, number>();

/** Called when a connection is opened or closed: `open` are those of the process. */
export function adaptPieces(open: number): void {
  shortResponsePieceBytes = open > MANY_CONNECTIONS ? SMALL_PIECE_BYTES : PIECE_BYTES;
}

/** Records that the client of an output has read a piece. */
export function recordPieceWritten(output: object): void {
  pieceCounts.set(output, piecesWritten(output) + 1);
}

/** The number of pieces that the client has read; a client without progress leaves it unchanged. */
export function piecesWritten(output: object): number {
  return pieceCounts.get(output) ?? 0;
}

/** Declares an output as that of a watch. */
export function markAsWatch(output: object): void {
  watches.add(output);
}

/** Whether {@link markAsWatch} was called for the output. */
export function isWatch(output: object): boolean {
  return watches.has(output);
}

/**
 * For streams to containers and their logs, which a person may leave unread for any time. They use backpressure, so
 * few bytes wait here.
 */
export function allowUnread(output: object): void {
  unreadAllowed.add(output);
}

/** The socket of a log may carry other responses afterwards. */
export function forbidUnread(output: object): void {
  unreadAllowed.delete(output);
}

/** Whether {@link allowUnread} applies to the output. */
export function mayStayUnread(output: object): boolean {
  return unreadAllowed.has(output);
}

/** Whether a body is so long that it is written in pieces. */
export function needsPieces(body: Buffer): boolean {
  return body.length > shortResponsePieceBytes;
}

/** Whether `bytes` more may wait on a connection. */
export function hasRoom(connection: object, bytes: number): boolean {
  const current = waitingBytes.get(connection) ?? 0;
  return current === 0 || current + bytes <= MAX_WAITING_BYTES;
}

/** The destination of writes: an output, or a compressor in front of it. */
interface PieceTarget {
  write(piece: Buffer, written: (error?: Error | null) => void): unknown;
  end(piece: Buffer, written: () => void): unknown;
}

/** Called when bytes have been written, or with an error when they cannot be. */
type Written = (error?: Error | null) => void;

/** The argument of one call of `write` or `end`. */
interface Part {
  readonly bytes: Buffer;
  readonly isLast: boolean;
  readonly done: Written;
  /** The length of its pieces. */
  readonly pieceBytes: number;
}

/**
 * Writes to a target in order, and long parts piece by piece, each after the client has read the one before. Every piece
 * of a long part but the last counts here as progress of `output`; a whole part is up to the caller's `done`. Each
 * `done` is called once, unless the target is destroyed before.
 */
export class PieceWriter {
  /** The first part is being written. Empty while no long part is in progress. */
  private readonly parts: Part[] = [];
  /** Whether more than the last part was written. */
  private hasSeveralParts = false;

  constructor(
    private readonly target: PieceTarget,
    private readonly output: object,
  ) {}

  /** Writes bytes. The caller does not modify them before `done` is called. */
  write(bytes: Buffer, done: Written): void {
    this.hasSeveralParts = true;
    this.add({ bytes, isLast: false, done, pieceBytes: PIECE_BYTES });
  }

  /** Writes the last bytes and ends the target. Nothing may be written afterwards. */
  end(bytes: Buffer, done: Written): void {
    // A compressor writes pieces of its own.
    const isShort = !this.hasSeveralParts && bytes.length <= PIECE_BYTES && this.target === this.output;
    this.add({ bytes, isLast: true, done, pieceBytes: isShort ? shortResponsePieceBytes : PIECE_BYTES });
  }

  private add(part: Part): void {
    if (this.parts.length > 0) this.parts.push(part);
    else if (part.bytes.length > part.pieceBytes) {
      this.parts.push(part);
      this.writePieces(part, 0);
    } else this.writeWhole(part);
  }

  private writeWhole({ bytes, isLast, done }: Part): void {
    if (isLast) this.target.end(bytes, done);
    else this.target.write(bytes, done);
  }

  private writePieces(part: Part, from: number): void {
    const to = from + part.pieceBytes;
    if (to < part.bytes.length) {
      this.target.write(part.bytes.subarray(from, to), (error) => {
        recordPieceWritten(this.output);
        if (error === undefined || error === null) this.writePieces(part, to);
        else this.fail(error);
      });
      return;
    }
    this.writeWhole({ ...part, bytes: from === 0 ? part.bytes : part.bytes.subarray(from) });
    this.parts.shift();
    const next = this.parts[0];
    if (next !== undefined) this.writePieces(next, 0);
  }

  private fail(error: Error): void {
    for (const { done } of this.parts.splice(0)) done(error);
  }
}

/** Writes a long body and ends the output. The bytes count as waiting on `connection` until the output closes. */
export function endInPieces(output: Writable, connection: object, body: Buffer): void {
  waitingBytes.set(connection, (waitingBytes.get(connection) ?? 0) + body.length);
  output.once('close', () => waitingBytes.set(connection, (waitingBytes.get(connection) ?? 0) - body.length));
  new PieceWriter(output, output).end(body, () => undefined);
}
