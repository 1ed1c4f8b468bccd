/**
 * Records what the reference server says of its health:
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/health.js
 * test/integration/http/health.test.ts replays the recording.
 */
import { HEALTH_PATHS, WHO } from './health-paths';
import { writeRecording } from './recording';
import { ask, hangUp } from './reference';

async function record(): Promise<void> {
  const cases: unknown[] = [];
  for (const who of WHO) {
    for (const path of HEALTH_PATHS) {
      const { code, bytes } = await ask('GET', path, who === 'admin' ? {} : { authorization: '' });
      cases.push({ who, path, code, text: bytes.toString() });
    }
  }
  writeRecording('health/answers', cases);
}

void record().finally(hangUp);
