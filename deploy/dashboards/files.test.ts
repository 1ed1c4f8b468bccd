import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../../test/support/repository';
import { DASHBOARD_FILES, DASHBOARD_FOLDER } from './files';

const folder = path.join(repository, DASHBOARD_FOLDER);

describe('the dashboards', () => {
  it.each(Object.entries(DASHBOARD_FILES))('%s is what `npm run reference` writes', (file, text) => {
    expect(readFileSync(path.join(folder, file), 'utf8')).toBe(text);
  });

  it('have a folder without other files', () => {
    expect(readdirSync(folder).toSorted()).toEqual(Object.keys(DASHBOARD_FILES).toSorted());
  });
});
