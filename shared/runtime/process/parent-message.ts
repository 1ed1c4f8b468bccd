/**
 * Messages to the parent process over the IPC channel. The parent may end, or close the channel, at any moment: a
 * message that it cannot receive any more is dropped, where `process.send` alone would end this process with an
 * uncaught error.
 */

/** The part of `process` that is used. */
export interface ChildProcessHandle {
  /** Absent without an IPC channel. */
  readonly send?: (message: object | string, written: (error: Error | null) => void) => boolean;
}

/** Resolves when the message is written, or when there is no parent to receive it. Never rejects. */
export function sendToParent(process: ChildProcessHandle, message: object | string): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });
}
