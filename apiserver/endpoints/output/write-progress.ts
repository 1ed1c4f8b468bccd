/**
 * Records what outputs are for and how far their clients have read: the number of pieces that each output has accepted,
 * which outputs carry watches, and which may stay unread. The connections use it to find clients that read nothing; no
 * output is ended here.
 */

/** The state of each output, as long as it exists. */
const pieceCounts = new WeakMap<object, number>();
const watches = new WeakSet<object>();
const unreadAllowed = new WeakSet<object>();

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
 * Lets an output stay unread for any time: a stream to a container or a log, which a person may leave unread. These use
 * backpressure, so few bytes wait here.
 */
export function allowUnread(output: object): void {
  unreadAllowed.add(output);
}

/** Ends {@link allowUnread}: the socket of a log may carry other responses afterwards. */
export function forbidUnread(output: object): void {
  unreadAllowed.delete(output);
}

/** Whether {@link allowUnread} applies to the output. */
export function mayStayUnread(output: object): boolean {
  return unreadAllowed.has(output);
}
