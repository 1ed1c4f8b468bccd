import { SERVED_KINDS } from '../../kinds';
import { typeNames } from '../tables';
import { schemaOf } from '../index';
import own from './own-texts.json';
import { readTexts } from './texts';

const texts = readTexts() ?? {};

test('every served kind and each of its fields has a description', () => {
  const untold = SERVED_KINDS.flatMap(({ type }) => {
    const said = texts[type] ?? {};
    return ['', 'apiVersion', 'kind', ...schemaOf(type).fields.map(({ name }) => name)].flatMap((member) =>
      said[member] === undefined ? [`${type} ${member}`] : [],
    );
  });
  expect(untold).toEqual([]);
});

test('the descriptions of our own refer to existing types and fields only', () => {
  const known = new Set(typeNames());
  const told = Object.entries(own).filter(([type]) => known.has(type));
  const unknown = told.flatMap(([type, members]) => {
    const names = new Set(['', ...schemaOf(type).fields.map(({ name }) => name)]);
    return Object.keys(members).flatMap((member) => (names.has(member) ? [] : [`${type} ${member}`]));
  });
  expect(unknown).toEqual([]);
  expect(told.length).toBeGreaterThan(20);
});
