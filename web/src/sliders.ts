// Sliders for the numbers of a body.

import type { Parameter } from './messages'

const STEPS = 1000

export class Sliders {
  constructor(
    private home: HTMLElement,
    private change: (name: string, value: number) => void,
  ) {}

  build(parameters: Parameter[]): void {
    this.home.replaceChildren(...parameters.map((p) => this.slider(p)))
  }

  private slider(parameter: Parameter): HTMLElement {
    const { low, high, ratio, unit, label } = parameter
    const value = (at: number) => (ratio ? low * (high / low) ** (at / STEPS) : low + ((high - low) * at) / STEPS)
    const place = (v: number) => STEPS * (ratio ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low))
    const row = document.createElement('label')
    row.className = 'slider'
    const input = document.createElement('input')
    input.type = 'range'
    input.min = '0'
    input.max = String(STEPS)
    input.step = 'any'
    input.value = String(place(parameter.value))
    input.name = parameter.name
    // A label without this would belong to the number beside the slider.
    input.id = `slider-${parameter.name}`
    row.htmlFor = input.id
    const output = document.createElement('output')
    const tell = () => {
      const shown = `${Number(parameter.value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 })} ${unit}`
      output.textContent = shown
      input.setAttribute('aria-valuetext', shown)
    }
    input.oninput = () => {
      parameter.value = Number(value(Number(input.value)).toPrecision(4))
      tell()
    }
    // The world is made anew for a change, so only where the slider comes to rest.
    input.onchange = () => this.change(parameter.name, parameter.value)
    tell()
    row.append(label, output, input)
    return row
  }
}
