/**
 * Keeps connections for the next request, but none on which its server has sent anything while no request was waiting for it: that would be taken for the beginning of another
 * user's answer. Node closes those whose answer was not read to its end.
 */
import { Agent } from 'node:https';
import type { ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

function end(this: Duplex): void {
  this.destroy();
}

export class IdleCheckingAgent extends Agent {
  override keepSocketAlive(socket: Duplex): void {
    socket.on('data', end);
    return super.keepSocketAlive(socket);
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off('data', end);
    super.reuseSocket(socket, request);
  }
}
