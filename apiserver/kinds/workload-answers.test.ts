/** Replays what release 1.31.1 said to good and bad workloads, budgets and autoscalers (workload-answers, made by test/recordings/workloads.ts). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replayKinds } from '../../test/support/replay-kinds';

const FOLDER = join(__dirname, 'workload-answers');

for (const file of readdirSync(FOLDER)) replayKinds(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
