/**
 * Records which metrics the reference server shows only once there is something to show. FILE is what its /metrics has said, with --feature-gates=WatchList=true and
 * --authorization-config, after: an authorization webhook with conditions was asked, allowed, denied, failed, took too long and was left out; an admission webhook and
 * a policy with conditions that are false, true and fail; a watch that begins with the state; a value in etcd that nobody can read.
 *   node deploy/scripts/run.mjs test/replay/metrics-in-use.js FILE
 * apiserver/metrics/catalogue.test.ts replays the recording.
 */
import { readFileSync } from 'node:fs';
import { readExposition } from '../support/exposition';
import { readCases, writeRecording } from './recording';
import { listOf, number, shape, text } from './shape';

const [file = ''] = process.argv.slice(2);
const FAMILY = shape({ name: text, type: text, stability: text, labels: listOf(text), buckets: listOf(number) });
const known = new Set(readCases('metrics/families', FAMILY).map(({ name }) => name));
const shown = [...readExposition(readFileSync(file, 'utf8')).families.values()];
writeRecording(
  'metrics/in-use',
  shown.filter(({ name }) => !known.has(name) && !name.startsWith('go_')),
);
