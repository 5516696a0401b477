"""Renders houses in MuJoCo: pictures from above and by each agent, with segmentation.

Requires the extra ``3d`` (docs/household_pictures.md). Rendering is off screen, by EGL or OSMesa;
the environment variable ``MUJOCO_GL`` overrides the choice. MuJoCo's z is up: (x, y, z) of a scene
is (x, -z, y) there. Nothing is simulated: poses are set.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from ctypes.util import find_library
from importlib.util import find_spec
from math import cos, sin
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import StudyError
from otherminds.household.reports.mjcf import CEILING, CUT, LOOKED, SMALL, Size, mjcf
from otherminds.household.reports.state import EYE, MapState, renderers
from otherminds.household.scenes.plane import bounds
from otherminds.household.scenes.scene import Scene, floor_of

HAND = (0.45, 1.15)
"""Metres before an agent and above the floor: where it holds things."""
SWING = 1.9
"""Radians: the angle of an open door."""
ABOVE = -62.0
"""Degrees: the elevation of the camera that sees the whole house."""
EDGE, ROUNDS = 0.96, 20
"""The share of the picture that the house fills, and the number of camera adjustments."""
PRINTED: Size = (1280, 960)
"""The size of a picture in a file."""
LACKING = "3-D pictures need the extra '3d': pip install 'otherminds[3d]' (docs/household_pictures.md)"
NO_CONTEXT = (
    "no 3-D picture can be made with MUJOCO_GL={gl} ({error}); install EGL (libegl1) or OSMesa (libosmesa6) "
    "and set MUJOCO_GL to egl or osmesa"
)


def available() -> bool:
    """Whether MuJoCo is installed."""
    return find_spec("mujoco") is not None


def library() -> Any:
    """The module MuJoCo, set up for off-screen rendering by ``MUJOCO_GL``, else EGL, else OSMesa.

    Raises:
        StudyError: it is not installed, or off-screen rendering is not available.
    """
    if not available():
        raise StudyError(LACKING)
    backend = "egl" if find_library("EGL") or not find_library("OSMesa") else "osmesa"
    gl = os.environ.setdefault("MUJOCO_GL", backend)
    try:
        return importlib.import_module("mujoco")
    except (AttributeError, ImportError, OSError, RuntimeError) as error:
        raise StudyError(NO_CONTEXT.format(gl=gl, error=error)) from error


class Studio:
    """Renders one house at many moments; a context manager that releases its resources.

    Raises:
        StudyError: MuJoCo or off-screen rendering is not available.
    """

    def __init__(
        self, scene: Scene, agents: tuple[str, ...] = (), size: Size = SMALL, *, shadows: bool = False
    ) -> None:
        self._mujoco = mujoco = library()
        self._agents, self._scene = agents, scene
        self._model = mujoco.MjModel.from_xml_string(mjcf(scene, agents, size))
        self._data = mujoco.MjData(self._model)
        try:
            self._renderer = mujoco.Renderer(self._model, size[1], size[0])
        except (AttributeError, ImportError, OSError, RuntimeError, mujoco.FatalError) as error:
            gl = os.environ.get("MUJOCO_GL", "")
            raise StudyError(NO_CONTEXT.format(gl=gl, error=error)) from error
        self._renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        self._renderer.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._options = mujoco.MjvOption()
        self._above = _camera(mujoco, scene, size)
        self.names = ("", *_names(scene, agents))
        self._number = self._numbers()
        self._own = {agent: self._geoms_of(agent) for agent in agents}

    def __enter__(self) -> Studio:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._renderer.close()

    def show(self, state: MapState) -> None:
        """Sets doors, objects and agents as they are in ``state``."""
        model, data = self._model, self._data
        for joint in range(model.njnt):
            f, way = model.joint(joint).name.rsplit("/", 1)
            wide = "is_open" in state.turned.get(f, ())
            data.qpos[model.jnt_qposadr[joint]] = -int(way) * SWING if wide else 0.0
        for agent in self._agents:
            agent_state = state.agents[agent]
            x, z = agent_state.at
            self._put(agent, (x, 0.0, z), agent_state.facing)
            self._put(f"eye/{agent}", (x, EYE, z), agent_state.facing, agent_state.gaze)
        for o, placement in state.objects.items():
            if placement.at is not None:
                self._put(o, placement.at, 0.0)
            elif placement.rest.where in self._agents:
                holder = state.agents[placement.rest.where]
                (x, z), facing = holder.at, holder.facing
                at = (x + HAND[0] * cos(facing), HAND[1], z + HAND[0] * sin(facing))
                self._put(o, at, facing)
        self._mujoco.mj_kinematics(model, data)
        self._mujoco.mj_camlight(model, data)

    def picture(self, agent: str = "") -> NDArray[np.uint8]:
        """The view of ``agent``, or the house from above without its ceiling, uint8[height, width, 3].

        Raises:
            StudyError: there is no such agent.
        """
        self._look(agent)
        return self._renderer.render()

    def segmentation(self, agent: str = "") -> NDArray[np.int16]:
        """The index into ``names`` of what each pixel of :meth:`picture` shows, int16[height, width].

        ``names`` are rooms' floors, furniture, objects and agents; 0 is anything else.
        """
        self._renderer.enable_segmentation_rendering()
        try:
            self._look(agent)
            geoms = self._renderer.render()[:, :, 0]
        finally:
            self._renderer.disable_segmentation_rendering()
        return self._number[geoms]

    def _look(self, agent: str) -> None:
        """Aims the camera and hides the agent's own body."""
        if agent and agent not in self._own:
            names = ", ".join(self._own) or "none"
            raise StudyError(f"no agent {agent!r} is in the picture; there are {names}")
        own = self._own.get(agent, [])
        self._options.geomgroup[CEILING] = bool(agent)
        colours = self._model.geom_rgba[own].copy()
        self._model.geom_rgba[own, 3] = 0
        self._renderer.update_scene(self._data, f"eye/{agent}" if agent else self._above, self._options)
        self._model.geom_rgba[own] = colours

    def _put(self, name: str, at: tuple[float, float, float], yaw: float, pitch: float = 0.0) -> None:
        """Moves a body: its x axis points ``yaw`` in (x, z), ``pitch`` above the horizon."""
        mocap = self._model.body(name).mocapid[0]
        self._data.mocap_pos[mocap] = (at[0], -at[2], at[1])
        c, s, up, down = cos(yaw / 2), -sin(yaw / 2), cos(pitch / 2), -sin(pitch / 2)
        self._data.mocap_quat[mocap] = (c * up, -s * down, c * down, s * up)

    def _geoms_of(self, name: str) -> list[int]:
        body = self._model.body(name).id
        return [geom for geom in range(self._model.ngeom) if self._model.geom_bodyid[geom] == body]

    def _numbers(self) -> NDArray[np.int16]:
        """The index into ``names`` of each geom; the last one is the background, MuJoCo's -1."""
        index = {name: n for n, name in enumerate(self.names)}
        of = [self._model.geom(geom).name.split("/")[0] for geom in range(self._model.ngeom)]
        return np.array([*(index.get(name, 0) for name in of), 0], np.int16)


@renderers.register("mujoco")
def write_picture(scene: Scene, state: MapState, path: Path, agent: str = "") -> None:
    """Writes a picture of 1280 x 960 pixels, rendered at twice the size for anti-aliasing."""
    from PIL import Image

    wide, high = PRINTED
    with Studio(scene, tuple(state.agents), (2 * wide, 2 * high)) as studio:
        studio.show(state)
        Image.fromarray(studio.picture(agent)).resize(PRINTED, Image.Resampling.BOX).save(path, optimize=True)


def _names(scene: Scene, agents: tuple[str, ...]) -> Iterator[str]:
    yield from (floor_of(room) for room in scene.rooms)
    yield from (*scene.furniture, *scene.objects, *agents)


def _camera(mujoco: Any, scene: Scene, size: Size) -> Any:
    """The nearest camera from above that sees the whole house, with z decreasing towards it."""
    x0, z0, x1, z1 = bounds([point for shape in scene.geometry.rooms.values() for point in shape.polygon])
    corners = np.array([(x, -z, y) for x in (x0, x1) for z in (z0, z1) for y in (0.0, CUT)])
    tilt = np.radians(-ABOVE)
    ahead, up = np.array([0, np.cos(tilt), -np.sin(tilt)]), np.array([0, np.sin(tilt), np.cos(tilt)])
    room = EDGE * np.tan(np.radians(LOOKED / 2)) * np.array([size[0] / size[1], 1.0])
    at = corners.mean(axis=0)
    far = 0.0
    for _ in range(ROUNDS):
        beyond = (corners - at) @ ahead
        projected = np.stack([(corners - at)[:, 0], (corners - at) @ up], axis=1)
        far = float((abs(projected) / room - beyond[:, None]).max())
        high = projected[:, 1] / (far + beyond)
        at = at + up * far * (high.max() + high.min()) / 2
    camera = mujoco.MjvCamera()
    camera.lookat[:] = at
    camera.azimuth, camera.elevation, camera.distance = 90.0, ABOVE, far
    return camera
