/**
 * Loaded before a program (`node --require`), sets its clock ahead by CLOCK_AHEAD_MS milliseconds (behind, below 0): for what it says and reads of the time, as on a
 * machine whose clock is not right. Waits last as long as ever, and TLS itself goes by the machine's clock.
 */
import { systemClock } from '../../shared/runtime/clock';

const ahead = Number(process.env['CLOCK_AHEAD_MS'] ?? 0);
const { now } = systemClock;

Object.assign(systemClock, { now: () => now() + ahead });
