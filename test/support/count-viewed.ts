/** Prints how many keys an embedded store holds, beside whoever writes to it: `count-viewed.js <directory>`. Fails where there is nothing to be read yet. */
import { viewEmbeddedStore } from '../../apiserver/storage/embedded/view';
import { prefixRange } from '../../apiserver/storage/store';

async function main(directory: string): Promise<void> {
  const view = await viewEmbeddedStore(directory);
  let count = 0;
  for await (const { key } of view.entries(prefixRange('/registry/'))) count += key === '' ? 0 : 1;
  await view.close();
  console.log(count);
}

main(process.argv[2] ?? '').catch(() => {
  process.exitCode = 1;
});
