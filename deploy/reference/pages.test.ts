import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../../test/support/repository';
import { page } from './markdown';
import { PAGES } from './pages';

const folder = path.join(repository, 'docs/reference');

describe('the reference pages', () => {
  it.each(Object.entries(PAGES))('%s is what `npm run reference` writes', (file, pageText) => {
    expect(readFileSync(path.join(folder, file), 'utf8')).toBe(pageText());
  });
});

describe('page', () => {
  it('escapes vertical bars everywhere and markup outside code', () => {
    const text = page('T', 'I', [{ heading: 'H', columns: ['a'], rows: [['x|y <b> * `p|q <c> *`']] }]);
    expect(text).toBe('# T\n\nI\n\n## H\n\n| a |\n| --- |\n| x\\|y \\<b\\> \\* `p\\|q <c> *` |\n');
  });
});
