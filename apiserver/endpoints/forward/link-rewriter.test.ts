/** The rewriting of links in proxied pages, whole and in chunks of any length. */
import { LinkRewriter } from './link-rewriter';

/** Adds a prefix to absolute paths. */
const rewrite = (link: string): string | undefined => (link.startsWith('/') ? `/p${link}` : undefined);

/** Rewrites a page that arrives in chunks of a length. */
function rewritePage(page: string, chunkLength = page.length): string {
  const rewriter = new LinkRewriter(rewrite);
  let output = '';
  for (let start = 0; start < page.length; start += chunkLength) output += rewriter.write(page.slice(start, start + chunkLength));
  return output + rewriter.end();
}

/**
 * Pages as the reference server rewrites them, except that it also re-serializes tags with double-quoted attributes.
 */
const PAGES: readonly (readonly [page: string, expected: string])[] = [
  // The spellings of a tag and its attributes.
  ['<a href="/x">', '<a href="/p/x">'],
  [`<A class=y HREF='/x'>T &amp; 'q' "d" > < é</A>`, `<A class=y HREF='/p/x'>T &amp; 'q' "d" > < é</A>`],
  ['<a href=/x><a href=/x/>', '<a href=/p/x><a href=/p/x/>'],
  ['<a href><a href=""><a href=><a href = "/x" >', '<a href><a href=""><a href=><a href = "/p/x" >'],
  // Only the path of a link is rewritten.
  ['<a href="x"><a href="?q=/x"><a href="#/x">', '<a href="x"><a href="?q=/x"><a href="#/x">'],
  ['<a href="/x?q=1&amp;r=2&copy=3#f">', '<a href="/p/x?q=1&amp;r=2&copy=3#f">'],
  ['<img src="/x"/> <br/> <img src=/x />', '<img src="/p/x"/> <br/> <img src=/p/x />'],
  // Declarations and comments contain no tags.
  ['<!doctype html><!-- <a href="/x"> --><a href="/x">', '<!doctype html><!-- <a href="/x"> --><a href="/p/x">'],
  ['<!--><a href="/x"><!---><a href="/x"><!-- --!><a href="/x">', '<!--><a href="/p/x"><!---><a href="/p/x"><!-- --!><a href="/p/x">'],
  [
    '<?xml version="1.0"?><!DOCTYPE html "a"><![CDATA[ <a href="/x"> ]]>',
    '<?xml version="1.0"?><!DOCTYPE html "a"><![CDATA[ <a href="/x"> ]]>',
  ],
  // The text of some elements contains no tags.
  [
    `<script src=/x>a && b < "<a href='/x'>" </scripted></script><a href=/y>`,
    `<script src=/p/x>a && b < "<a href='/x'>" </scripted></script><a href=/p/y>`,
  ],
  ['<style>a > b</style><a href=/x>', '<style>a > b</style><a href=/p/x>'],
  ['<textarea><a href="/x"></TEXTAREA ><a href="/x">', '<textarea><a href="/x"></TEXTAREA ><a href="/p/x">'],
  ['<title>a & <b href="/x"></title>', '<title>a & <b href="/x"></title>'],
  ['<noscript><a href="/x"></noscript>', '<noscript><a href="/x"></noscript>'],
  ['<iframe src="/x"><a href="/y"></iframe><xmp><a href="/x"></xmp>', '<iframe src="/p/x"><a href="/y"></iframe><xmp><a href="/x"></xmp>'],
  ['<template><a href="/x"></template>', '<template><a href="/p/x"></template>'],
  ['<plaintext><a href="/x"></plaintext><a href="/x">', '<plaintext><a href="/x"></plaintext><a href="/x">'],
  // Repeated attributes, attributes beside a link, and end tags.
  ['<a href="/x" href="/y"><a HREF="/x"x>', '<a href="/p/x" href="/p/y"><a HREF="/p/x"x>'],
  [`<a data-x='a"b>' href="/x" checked>`, `<a data-x='a"b>' href="/p/x" checked>`],
  ['<svg><a xlink:href="/x" href="/y"/></svg>', '<svg><a xlink:href="/x" href="/p/y"/></svg>'],
  ['</a href="/x"></ a href="/x"></><a href="/x">', '</a href="/x"></ a href="/x"></><a href="/p/x">'],
  ['a <b <a href="/x">1 < 2 <<a href="/x">', 'a <b <a href="/x">1 < 2 <<a href="/p/x">'],
  // Character references and spaces in a link.
  ['<a href="&#47;x"><a href="&#x2F;x&lt;&quot;&#39;b">', '<a href="/p/x"><a href="/p/x&lt;&quot;&#39;b">'],
  [
    '<a href="/caf&eacute;/x"><a href="/a&b"><a href="&unknown;/x"><a href="/&constructor;x">',
    '<a href="/p/caf&eacute;/x"><a href="/p/a&b"><a href="&unknown;/x"><a href="/p/&constructor;x">',
  ],
  ['<a href=" /x "><a href="/a b">', '<a href="/p/x "><a href="/p/a b">'],
  // A page that ends within a tag.
  ['<a href="/x', '<a href="/x'],
  ['<a hre', '<a hre'],
  // Other link attributes, and attributes that contain links but are not rewritten.
  ['<form action="/x" method=post><input src=/y formaction=/z>', '<form action="/p/x" method=post><input src=/p/y formaction=/p/z>'],
  [
    '<meta http-equiv=refresh content="0;url=/x"><img srcset="/x 1x"><track src="/x">',
    '<meta http-equiv=refresh content="0;url=/x"><img srcset="/x 1x"><track src="/x">',
  ],
];

/** Attributes that the reference server rewrites, recorded from 47 elements with 26 attributes each. */
const REWRITTEN_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['formaction', 'src', 'usemap'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};
const OTHER_ELEMENTS =
  'abbr article canvas div frameset meta param span style svg table td th tr track image use menuitem bgsound layer'.split(' ');
const ATTRIBUTES =
  'action archive background cite classid code codebase content data data-href dynsrc formaction href icon longdesc lowsrc manifest ping poster profile src srcset style url usemap value'.split(
    ' ',
  );

describe('LinkRewriter', () => {
  test.each(PAGES)('rewrites %j to %j', (page, expected) => {
    expect(rewritePage(page)).toBe(expected);
  });

  test.each(PAGES)('rewrites %j alike when it arrives in chunks of any length', (page, expected) => {
    for (let length = 1; length < page.length; length += 1) expect(rewritePage(page, length)).toBe(expected);
  });

  it.each([...Object.keys(REWRITTEN_ATTRIBUTES), ...OTHER_ELEMENTS])(
    'rewrites the link attributes of <%s> and no other attributes',
    (element) => {
      const page = (value: (attribute: string) => string): string =>
        `<${element} ${ATTRIBUTES.map((attribute) => `${attribute}="${value(attribute)}"`).join(' ')}>`;
      const expected = page((attribute) => (REWRITTEN_ATTRIBUTES[element]?.includes(attribute) === true ? '/p/v' : '/v'));
      expect(rewritePage(page(() => '/v'))).toBe(expected);
    },
  );

  it('leaves a page without links to rewrite unchanged in every byte', () => {
    const page = PAGES.map(([text]) => text.replaceAll('/', '.')).join('\n');
    expect(rewritePage(page)).toBe(page);
  });

  it('buffers no more than the beginning of a long link, and no other text', () => {
    const rewriter = new LinkRewriter(rewrite);
    const long = 'y'.repeat(100_000);
    expect(rewriter.write('<img src="data:')).toBe('<img src="');
    expect(rewriter.write(long)).toBe(`data:${long}`);
    expect(rewriter.write(long)).toBe(long);
    expect(rewriter.write('"><a href="/')).toBe('"><a href="');
    expect(rewriter.write(long)).toBe(`/p/${long}`);
    expect(rewriter.write(`"><p title=${long}`)).toBe(`"><p title=${long}`);
    expect(rewriter.write(`><${long} ${long}`)).toBe(`><${long} ${long}`);
    expect(rewriter.write(`><script>${long}`)).toBe(`><script>${long}`);
  });
});
