/**
 * The one message that the process of a control plane sends to its parent: that it is ready, or why it could not
 * start.
 */
import type { ControlPlaneConnection } from './api';

/** The control plane is ready, or could not start for the reason in `message`. */
export type StartMessage =
  | { readonly type: 'ready'; readonly connection: ControlPlaneConnection }
  | { readonly type: 'failed'; readonly message: string };

/** Whether a value received over the IPC channel is a start message. */
export const isStartMessage = (value: unknown): value is StartMessage =>
  typeof value === 'object' && value !== null && 'type' in value && (value.type === 'ready' || value.type === 'failed');
