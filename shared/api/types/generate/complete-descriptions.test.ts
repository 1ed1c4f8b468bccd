import { addModelDescriptions, addOwnDescriptions } from './complete-descriptions';

const MODELS = {
  V1Ware: { '': 'A thing that is sold.', continue: 'Whether it continues.' },
  ShopV1Event: { '': 'Something that happens in a shop.' },
};

test('addModelDescriptions adds missing descriptions under the names of types and keeps existing ones', () => {
  const descriptions = { 'shop.v1.Ware': { '': 'Said.' } };
  addModelDescriptions(MODELS, ['shop.v1.Ware', 'shop.v1.Event', 'shop.v1.Unknown'], descriptions);
  expect(descriptions).toMatchObject({
    'shop.v1.Ware': { '': 'Said.', continue: 'Whether it continues.' },
    'shop.v1.Event': { '': 'Something that happens in a shop.' },
  });
  expect(Object.keys(descriptions)).toHaveLength(2);
});

test('addOwnDescriptions adds own descriptions where there are none', () => {
  const types = { 'shop.v1.Ware': ['1 spec shop.v1.WareSpec', '2 status shop.v1.WareStatus'], 'shop.v1.WareStatus': ['1 status string'] };
  const descriptions = { 'shop.v1.Ware': { kind: 'Kind.', spec: 'Said.' } };
  addOwnDescriptions(
    { '*': { status: 'State.' }, 'shop.v1.Ware': { spec: 'Ours.', metadata: 'Ours.' }, 'shop.v1.Time': { '': 'Ours.' } },
    types,
    descriptions,
  );
  expect(descriptions).toEqual({
    'shop.v1.Ware': { kind: 'Kind.', spec: 'Said.', metadata: 'Ours.', status: 'State.' },
    'shop.v1.WareStatus': {},
    'shop.v1.Time': { '': 'Ours.' },
  });
});
