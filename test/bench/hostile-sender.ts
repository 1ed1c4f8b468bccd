/** Sends what it is told to, as a process of its own: building and sending bad input must not hold up who measures. */
import { sendHostile, type HostileRequest } from '../support/hostile-request';

process.once('disconnect', () => process.exit());
process.on('message', (message: HostileRequest) => {
  void sendHostile(message).then((status) => process.send?.(status));
});
