import { computed, signal } from '@preact/signals';

/** An element of 1 rem: it shows the size of the text. */
const ruler = document.createElement('span');
ruler.className = 'ruler';
document.body.append(ruler);

const widthInRem = () => document.body.clientWidth / ruler.getBoundingClientRect().width;

/** The width of the page in rem: larger text makes the page narrower. */
const width = signal(widthInRem());

const observer = new ResizeObserver(() => {
  width.value = widthInRem();
});
observer.observe(document.body);
observer.observe(ruler);

/** Whether the page is as narrow as a phone. The style sheets use the same width. */
export const isNarrow = computed(() => width.value <= 48);

/** Whether a list is above its panel instead of beside it. The style sheets use the same width. */
export const isStacked = computed(() => width.value <= 66);
