import { Stride } from './stride';

/** How many items there are until somebody looks. */
function items(stride: Stride): number {
  let count = 1;
  while (!stride.isLook()) count += 1;
  return count;
}

it('gets shorter while the first look after a rest is too late, and longer again when it is not', () => {
  const stride = new Stride();
  const lengths = [true, true, true, true, true, false, false, true, false, false].map((isOver) => {
    const length = items(stride);
    stride.looked(isOver);
    return length;
  });
  expect(lengths).toEqual([16, 8, 4, 2, 1, 1, 2, 2, 2, 4]);
});
