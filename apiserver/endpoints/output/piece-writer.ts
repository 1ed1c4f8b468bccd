/**
 * Writes long bodies in pieces, each after the client has read the one before, so that a slow client differs from one that
 * reads nothing. Limits the bytes of complete responses that wait on one connection. Slow clients are disconnected
 * elsewhere, by the progress that is recorded here (write-progress.ts).
 */
import type { Writable } from 'node:stream';
import { recordPieceWritten } from './write-progress';

/**
 * Length of a piece, which a client must read within the time for unread responses. Pieces of 64 KiB cost lists of 500
 * objects in protobuf some 20 % more CPU.
 */
const PIECE_BYTES = 256 * 1024;
/**
 * Length of a small piece. Node keeps a buffer as long as the longest write for as long as a TLS connection exists: 290 KB after a list of
 * 250 KB, 33 KB when that was written in pieces below 16 KB.
 */
const SMALL_PIECE_BYTES = 15 * 1024;
/** With more open connections, responses up to {@link PIECE_BYTES} are written in small pieces. Longer ones would wait too often. */
const MANY_CONNECTIONS = 256;
/** Limit for complete responses that wait on one connection. A single one may be longer. */
export const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** Responses up to {@link PIECE_BYTES} are written in pieces of this length. */
let shortResponsePieceBytes = PIECE_BYTES;

/** The bytes of complete responses that wait on each connection. */
const waitingBytes = new WeakMap<object, number>();

/** Adapts the length of pieces to the number of open connections of the process. Called whenever it changes. */
export function adaptPieces(openConnections: number): void {
  shortResponsePieceBytes = openConnections > MANY_CONNECTIONS ? SMALL_PIECE_BYTES : PIECE_BYTES;
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
  /** The parts that wait for a long part, which is the first of them. Empty while no long part is in progress. */
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

  /** Writes the part from the index `from` on, then the parts that wait for it. */
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

  /** Ends all parts with the error. */
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
