/** The sharing of bookmarks. That of changes is tested with the watch streams. */
import { SharedFrames } from './shared-frames';

it('SharedFrames encodes a bookmark once for each revision', () => {
  const frames = new SharedFrames('json/v1');
  const encode = jest.fn((text: string) => Buffer.from(text));
  const first = frames.bookmark(7, () => encode('seven'));
  expect(frames.bookmark(7, () => encode('seven again'))).toBe(first);
  expect(String(frames.bookmark(8, () => encode('eight')))).toBe('eight');
  expect(encode).toHaveBeenCalledTimes(2);
});
