/** The descriptions in documents: those of the file beside the code, or none. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { objectAt } from '../../../shared/values/json';
import { STORED_KINDS } from '../../../shared/api/kinds';
import { removeFolder, temporaryFolder } from '../../../test/support/programs';
import { readDescriptions } from './descriptions';
import { buildDocumentV2, buildDocumentV3 } from './documents';

const folder = temporaryFolder('descriptions');
const file = path.join(folder, 'descriptions.json');
afterAll(() => removeFolder(folder));

test('OpenAPI documents contain the descriptions of the file that the build writes', () => {
  writeFileSync(file, JSON.stringify({ 'core.v1.Pod': { '': 'A pod.', spec: 'What it should be.' } }));
  const describe = readDescriptions(file);
  const v2 = objectAt(objectAt(buildDocumentV2(STORED_KINDS, 'kubernetes', describe), 'definitions'), 'io.k8s.api.core.v1.Pod');
  expect(v2).toMatchObject({ description: 'A pod.', properties: { spec: { description: 'What it should be.' } } });
  const { components } = buildDocumentV3(STORED_KINDS, { group: '', version: 'v1' }, 'kubernetes', describe);
  expect(components).toMatchObject({
    schemas: { 'io.k8s.api.core.v1.Pod': { properties: { spec: { description: 'What it should be.' } } } },
  });
});

test('readDescriptions returns no descriptions when the file is missing', () => {
  expect(readDescriptions(path.join(folder, 'missing.json'))('core.v1.Pod')).toBeUndefined();
});
