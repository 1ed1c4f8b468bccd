/**
 * Records the distinct requests of the kubelets and kube-proxies in an audit log of release 1.31 (level `Metadata`,
 * stage `ResponseComplete` or `ResponseStarted`):
 *   node deploy/scripts/run.mjs test/replay/tools/record-node-requests.js AUDIT_LOG
 */
import { readFileSync } from 'node:fs';
import { distinctNodeRequests, NODE_REQUESTS } from '../formats/node-requests';
import { writeRecording } from '../recording';

const [file = ''] = process.argv.slice(2);
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
const requests = distinctNodeRequests(lines);
writeRecording(NODE_REQUESTS, requests);
process.stdout.write(`${requests.length} requests\n`);
