/** Replays requests under admission policies that were recorded from release 1.31.1 (admission/policies). */
import { isPolicyCase, preparePolicyCases, runPolicyCase } from '../../replay/formats/admission-policies';
import { readRecording } from '../../replay/recording';
import { body } from '../../replay/shape';
import { useServer } from './fixture';
import { auditedServer, RECORDED_USERS } from './request-targets';

const { cases } = readRecording('admission/policies', body, isPolicyCase);
const audited = auditedServer('Metadata');
const api = useServer({ naming: 'kubernetes', audit: audited.auditor, tokens: RECORDED_USERS });
const target = audited.targetFor(api);
beforeAll(() => preparePolicyCases(target), 30_000);

test.each(cases.map((recorded) => [recorded.title, recorded] as const))('the case "%s" gets the recorded response', async (_, recorded) => {
  expect(await runPolicyCase(target, recorded)).toEqual(recorded);
});
