/**
 * Loaded before a program (`node --require`), shifts its wall clock by CLOCK_AHEAD_MS milliseconds (negative: behind),
 * as on a machine with a wrong clock. Waits keep their length, and TLS uses the clock of the machine.
 */
import { systemClock } from '../../../shared/runtime/clock';

const ahead = Number(process.env['CLOCK_AHEAD_MS'] ?? 0);
const { now } = systemClock;

Object.assign(systemClock, { now: () => now() + ahead });
