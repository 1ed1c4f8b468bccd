/**
 * The mutable state of a request while it is served: the bytes received of its body, the status and bytes sent of its
 * response, and what happens to its connection afterwards. One object per request, owned by its exchange. Only
 * records: reads and writes no bytes.
 */

/** The minimum pace of a body. */
export interface BodyPace {
  /** The milliseconds that a body may take, however short it is. */
  readonly patienceMs: number;
  /** For each of so many received bytes, a body may take a second more. */
  readonly bytesPerSecond: number;
}

/** The progress of one request, as filters, handlers and the senders of responses record it. */
export class ExchangeProgress {
  private receiving = false;
  private receivedBytes = 0;
  /** Clock.monotonic of the first check of the body's pace. */
  private firstPaceCheck: number | undefined;
  private wholeBodyBytes: number | undefined;
  private responseStatus = 0;
  private responseBytes = 0;
  private abandoned = false;
  private terminated = false;
  private closing = false;
  private refusingBody = false;
  private goingAway = false;
  private waitedMs = 0;

  /** The body is read from now on. */
  startBody(): void {
    this.receiving = true;
  }

  /** Returns how many bytes of the body have been received. */
  addBodyBytes(bytes: number): number {
    this.receivedBytes += bytes;
    return this.receivedBytes;
  }

  /** All of the body has been received. */
  endBody(): void {
    this.receiving = false;
  }

  /** The whole body was read within its size limit, with this number of bytes. */
  acceptBody(bytes: number): void {
    this.wholeBodyBytes = bytes;
  }

  /** The size of the body; `undefined` when none was read. */
  get bodyBytes(): number | undefined {
    return this.wholeBodyBytes;
  }

  /** Whether the body that is being received is slower than `pace`. Its time starts with the first call. */
  isBodyTooSlow({ patienceMs, bytesPerSecond }: BodyPace, now: number): boolean {
    if (!this.receiving) return false;
    this.firstPaceCheck ??= now;
    return now - this.firstPaceCheck > patienceMs + (this.receivedBytes * 1000) / bytesPerSecond;
  }

  /** The status of the response that was or is being sent; 0 before. */
  get status(): number {
    return this.responseStatus;
  }

  /** Records the status of the response, before its head is sent. */
  startResponse(status: number): void {
    this.responseStatus = status;
  }

  /** Bytes of the response body, before compression. */
  get sentBytes(): number {
    return this.responseBytes;
  }

  /** Adds to the sent bytes. Called for each piece of a response body. */
  addSentBytes(bytes: number): void {
    this.responseBytes += bytes;
  }

  /** Milliseconds of waits that the SLI of the request leaves out. */
  get excludedMs(): number {
    return this.waitedMs;
  }

  /** Adds to the waits that the SLI leaves out. */
  excludeWait(ms: number): void {
    this.waitedMs += ms;
  }

  /** Whether later attempts to respond are dropped. */
  get isAbandoned(): boolean {
    return this.abandoned;
  }

  /** Prevents any further response. Called when the connection is closed or cannot be used any more. */
  abandon(): void {
    this.abandoned = true;
  }

  /** Whether the server has ended the request to protect itself: it was rejected for overload, or reached its deadline. */
  get isTerminated(): boolean {
    return this.terminated;
  }

  /** Marks the request as one that the server ended, for the metrics. */
  terminate(): void {
    this.terminated = true;
  }

  /** Whether the response has `Connection: close` (HTTP/1.1). */
  get closesConnection(): boolean {
    return this.closing;
  }

  /** Closes the connection after the response (HTTP/1.1). */
  closeConnection(): void {
    this.closing = true;
  }

  /** Whether the rest of the body stays unread: the connection, or over HTTP/2 the stream, ends with the response. */
  get refusesBody(): boolean {
    return this.refusingBody;
  }

  /** Leaves the rest of the body unread, and ends the connection, or over HTTP/2 the stream, with the response. */
  refuseBody(): void {
    this.closing = true;
    this.refusingBody = true;
  }

  /** Whether the client must open another connection for its next requests; over HTTP/2 with a GOAWAY frame. */
  get goesAway(): boolean {
    return this.goingAway;
  }

  /** Asks the client to send its next requests over another connection. */
  goAway(): void {
    this.closing = true;
    this.goingAway = true;
  }
}
