/**
 * An agent that closes a kept connection when its server sends data while no request is pending. The data would become the
 * beginning of the response to the next request, which may be of another user. A connection with a response that was
 * not read completely is closed by Node itself.
 */
import { Agent } from 'node:https';
import type { ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

function destroySocket(this: Duplex): void {
  this.destroy();
}

/** Use it in place of Node's agent for servers that are not trusted to keep to HTTP. */
export class IdleCheckingAgent extends Agent {
  override keepSocketAlive(socket: Duplex): void {
    socket.on('data', destroySocket);
    return super.keepSocketAlive(socket);
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off('data', destroySocket);
    super.reuseSocket(socket, request);
  }
}
