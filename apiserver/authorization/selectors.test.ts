/** The selectors of a request as SubjectAccessReview attributes. */
import { selectorsOf } from './selectors';

it.each<[fieldSelector: string | undefined, labelSelector: string | undefined, selectors: object]>([
  [undefined, undefined, {}],
  ['', '', {}],
  [
    'a=1,b!=2',
    undefined,
    {
      fieldSelector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['1'] },
          { key: 'b', operator: 'NotIn', values: ['2'] },
        ],
      },
    },
  ],
  [
    undefined,
    'a=1,b notin (y,x),c,!d,e>5',
    {
      labelSelector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['1'] },
          { key: 'b', operator: 'NotIn', values: ['x', 'y'] },
          { key: 'c', operator: 'Exists' },
          { key: 'd', operator: 'DoesNotExist' },
          // `e>5` has no equivalent.
        ],
      },
    },
  ],
  // Selectors that cannot be parsed.
  ['nonsense', 'a b', {}],
])('selectorsOf reads the field selector %j and the label selector %j', (fieldSelector, labelSelector, selectors) =>
  expect(selectorsOf({ fieldSelector, labelSelector })).toEqual(selectors),
);
