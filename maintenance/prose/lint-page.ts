import { createRequire } from 'node:module';
import { TextlintKernel, type TextlintKernelPlugin, type TextlintKernelRule } from '@textlint/kernel';
import { check, ruleIds, sentencesOf, wordsOf, type RuleId, type Sentence } from './checks.js';

/** The types of textlint nodes that contain prose. Each node is read as one text. */
const proseNodes = ['Paragraph', 'TableCell', 'Header'] as const;

/** A Markdown node, with only the fields that this file reads. */
interface Node {
  readonly type: string;
  readonly range: readonly [number, number];
  readonly children?: readonly Node[];
}

export interface PageFinding {
  readonly rule: string;
  readonly line: number;
  readonly message: string;
}

export interface PageReport {
  readonly words: number;
  readonly findings: readonly PageFinding[];
}

/**
 * Returns the text of a node with the same length, so positions stay right. Code becomes one word; link addresses and
 * emphasis become spaces.
 */
function proseOf(node: Node, source: string): string {
  const [start] = node.range;
  let text = source;
  const fill = (from: number, to: number, filler: string): void => {
    text = text.slice(0, from - start) + filler.repeat(to - from) + text.slice(to - start);
  };
  const visit = (part: Node): void => {
    const [from, to] = part.range;
    if (part.type === 'Code') fill(from, to, 'X');
    else if (part.type === 'Image' || part.type === 'Html') fill(from, to, ' ');
    else if (part.type === 'Link') {
      fill(from, from + 1, ' ');
      fill(part.children?.at(-1)?.range[1] ?? from, to, ' ');
    }
    part.children?.forEach(visit);
  };
  visit(node);
  return text.replace(/[*|\n\r#]/g, ' ');
}

/** In a cell of a table, a semicolon separates items, each counted as a sentence. */
function sentencesIn(node: Node, source: string): readonly Sentence[] {
  const prose = proseOf(node, source);
  if (node.type !== 'TableCell') return sentencesOf(prose);
  let start = 0;
  return prose.split(';').flatMap((item) => {
    const at = start;
    start += item.length + 1;
    return sentencesOf(item).map(({ text, index }) => ({ text, index: index + at }));
  });
}

/** Returns a kernel rule that reports the findings of one check in all prose. */
function kernelRule(id: RuleId): TextlintKernelRule {
  return {
    ruleId: id,
    rule: ({ RuleError, report, getSource, locator }) => {
      const visit = (node: Parameters<typeof report>[0]): void => {
        // A title may begin with "What": it is not a sentence.
        if (id === 'inverted-opening' && node.type === 'Header') return;
        for (const sentence of sentencesIn(node, getSource(node))) {
          for (const { index, found, advice } of check(id, sentence.text))
            report(node, new RuleError(`${found}: ${advice}`, { padding: locator.at(sentence.index + index) }));
        }
      };
      return Object.fromEntries(proseNodes.map((type) => [type, visit]));
    },
  };
}

const kernel = new TextlintKernel();
// Loaders disagree on the default export of this CommonJS package, so it is required. Its types name the exports.
const require = createRequire(import.meta.url);
const { default: plugin } = require('@textlint/textlint-plugin-markdown') as {
  default: TextlintKernelPlugin['plugin'];
};

/** Lints the prose of a Markdown page and counts its words. */
export async function lintPage(path: string, text: string): Promise<PageReport> {
  let words = 0;
  const counter: TextlintKernelRule = {
    ruleId: 'count',
    rule: ({ getSource }) => {
      const visit = (node: Node): void => {
        words += wordsOf(proseOf(node, getSource(node as Parameters<typeof getSource>[0]))).length;
      };
      return Object.fromEntries(proseNodes.map((type) => [type, visit]));
    },
  };
  const { messages } = await kernel.lintText(text, {
    filePath: path,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin }],
    rules: [...ruleIds.map(kernelRule), counter],
  });
  return {
    words,
    findings: messages.map(({ ruleId, loc, message }) => ({ rule: ruleId, line: loc.start.line, message })),
  };
}
