/**
 * Records which metrics the reference server exposes only once they have a series. FILE is its /metrics, with
 * --feature-gates=WatchList=true and --authorization-config, after these events: an authorization webhook with match
 * conditions allowed, denied, failed, timed out and was skipped; an admission webhook and a policy had conditions that
 * are false, true and fail; a watch began with the state; etcd held a value that cannot be decoded.
 *   node deploy/scripts/run.mjs test/replay/tools/metrics-in-use.js FILE
 * apiserver/metrics/registry/catalogue.test.ts replays the recording.
 */
import { readFileSync } from 'node:fs';
import { readExposition } from '../../support/exposition';
import { readCases, writeRecording } from '../recording';
import { isMetricFamily } from '../requests/metric-growth';

const [file = ''] = process.argv.slice(2);
const idleFamilies = new Set(readCases('metrics/families', isMetricFamily).map(({ name }) => name));
const families = [...readExposition(readFileSync(file, 'utf8')).families.values()];
writeRecording(
  'metrics/in-use',
  families.filter(({ name }) => !idleFamilies.has(name) && !name.startsWith('go_')),
);
