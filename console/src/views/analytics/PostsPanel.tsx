import { signal } from '@preact/signals';
import type { AnalyticsSortBy, PostAnalytics, PostMetrics } from 'social-publishing';
import { BarChart } from '../../parts/BarChart.js';
import { Empty } from '../../parts/Empty.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { Table } from '../../parts/Table.js';
import { PlatformBadge } from '../../parts/Badges.js';
import { readOnRequest } from '../../state/earlier-state.js';
import { client } from '../../world/session.js';
import { formatDateTime } from '../../state/time.js';
import { paid } from './credits.js';
import { metricName } from './metric-names.js';

const sorts: readonly AnalyticsSortBy[] = [
  'date',
  'likes',
  'comments',
  'impressions',
  'views',
  'shares',
  'saves',
  'clicks',
  'engagement',
];

/** The metrics in the chart. */
const metrics = [
  'impressions',
  'reach',
  'likes',
  'comments',
  'shares',
  'saves',
  'clicks',
  'views',
] as const satisfies (keyof PostMetrics)[];

/** Every platform has it. */
const firstMetric = 'likes';

const read = readOnRequest<readonly PostAnalytics[]>();
const metric = signal<(typeof metrics)[number]>(firstMetric);

export function PostsPanel() {
  return (
    <section class="panel stack">
      <h2>Posts</h2>
      <Form
        class="form read-form"
        label="Analytics of posts"
        submit="Read posts (costs 1 credit)"
        onSubmit={async ({ sortBy, limit }) => {
          const query = { sortBy: sorts.find((name) => name === sortBy), limit: Number(limit ?? 20) };
          read.value = (await paid(async () => client().analytics.listPosts(query))).items;
        }}
      >
        <div class="form-row">
          <Field label="Sort by">
            <select name="sortBy">
              {sorts.map((name) => (
                <option key={name} value={name}>
                  {metricName(name)}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Number of posts">
            <input name="limit" type="number" min="1" max="100" defaultValue="20" />
          </Field>
        </div>
      </Form>
      <Result />
    </section>
  );
}

function Result() {
  const posts = read.value;
  if (posts === undefined)
    return (
      <Empty icon="analytics" title="Not read yet">
        <p>You get a chart and a table of {metrics.length} metrics for each post of the last 90 days.</p>
      </Empty>
    );
  if (posts.length === 0)
    return (
      <Empty icon="analytics" title="No published posts in the last 90 days">
        <p>Publish one; the emulator returns seeded metrics.</p>
      </Empty>
    );
  return (
    <>
      <Field label="Metric">
        <select
          value={metric.value}
          onChange={({ currentTarget }) => {
            metric.value = metrics.find((name) => name === currentTarget.value) ?? firstMetric;
          }}
        >
          {metrics.map((name) => (
            <option key={name} value={name}>
              {metricName(name)}
            </option>
          ))}
        </select>
      </Field>
      <BarChart
        title={`${metricName(metric.value)} by post`}
        bars={posts.map(({ postId, content, publishedAt, aggregated }, index) => ({
          key: postId ?? String(index),
          label: content ?? postId ?? '',
          note: formatDateTime(publishedAt),
          value: aggregated?.[metric.value],
        }))}
      />
      <Metrics posts={posts} />
    </>
  );
}

function Metrics({ posts }: { readonly posts: readonly PostAnalytics[] }) {
  return (
    <Table label="Metrics of posts" heads={['Post', 'Platforms']} numbers={metrics.map(metricName)}>
      {posts.map(({ postId, content, platforms = [], aggregated = {} }) => (
        <tr key={postId}>
          <td class="metrics-post">
            <span>{content}</span>
          </td>
          <td class="metrics-platforms">
            <span class="post-targets">
              {platforms.map(({ platform }, index) => (
                <PlatformBadge key={index} platform={platform} />
              ))}
            </span>
          </td>
          {metrics.map((name) => (
            <td key={name} class="number">
              {aggregated[name]?.toLocaleString('en-GB') ?? <span class="hint">no data</span>}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
